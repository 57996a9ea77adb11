// Texts in their colour as it is: plates whole, letters where their ink is.
in vec2 place_in_atlas;
flat in vec2 half_size_of_plate;
flat in vec4 color;

layout(location = 0) out vec4 shown;
layout(binding = 0) uniform sampler2D atlas; // distance to the glyph's outline, 1/2 on it, more inside

void main() {
    if (half_size_of_plate.x == 0.0 && texture(atlas, place_in_atlas).r < 0.5) {
        discard;
    }
    shown = vec4(color.rgb, 1.0);
}
