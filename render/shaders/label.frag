in vec2 place_in_atlas;
in vec2 place_on_plate;
flat in vec2 half_size_of_plate;
flat in vec4 color;

layout(location = 0) out vec4 shown;
layout(binding = 0) uniform sampler2D atlas; // distance to the glyph's outline, 1/2 on it, more inside

const float CORNER_RADIUS = 0.3; // [line heights]

// How much of the pixel lies inside, from a distance that is positive inside.
float cover(float inside) {
    return clamp(inside / max(fwidth(inside), 1e-6) + 0.5, 0.0, 1.0);
}

void main() {
    vec2 beyond = abs(place_on_plate) - half_size_of_plate + CORNER_RADIUS;
    float in_plate = CORNER_RADIUS - length(max(beyond, 0.0)) - min(max(beyond.x, beyond.y), 0.0);
    float in_glyph = texture(atlas, place_in_atlas).r - 0.5;
    float covered = half_size_of_plate.x > 0.0 ? cover(in_plate) : cover(in_glyph);
    if (covered * color.a < 0.01) {
        discard; // and leaves the depth as it is
    }
    shown = vec4(color.rgb, color.a * covered);
}
