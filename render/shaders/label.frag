in vec2 place_in_atlas;
in vec2 place_on_plate;
flat in vec2 half_size_of_plate;
flat in vec4 color;

layout(location = 0) out vec4 shown;
layout(binding = 0) uniform sampler2D atlas; // distance to the glyph's outline, 1/2 on it, more inside

const float CORNER_RADIUS = 0.3;      // [line heights]
const float TEXELS_OF_DISTANCE = 8.0; // from 0 to 1 in the atlas: twice its SPREAD

// How much of the pixel lies inside, from a distance that is positive inside.
float cover(float inside) {
    return clamp(inside / max(fwidth(inside), 1e-6) + 0.5, 0.0, 1.0);
}

// The same for a glyph, whose strokes may be thinner than a pixel: from four places in it.
float cover_glyph() {
    vec2 x_step = dFdx(place_in_atlas);
    vec2 y_step = dFdy(place_in_atlas);
    vec2 texels = vec2(textureSize(atlas, 0));
    float texels_a_pixel = max(0.5 * (length(x_step * texels) + length(y_step * texels)), 1e-6);
    float covered = 0.0;
    for (int i = 0; i < 4; ++i) {
        // A square that is turned a little: no two of its corners share a row or a column.
        vec2 corner = vec2((i & 1) == 0 ? -1.0 : 1.0, (i & 2) == 0 ? -1.0 : 1.0);
        vec2 offset = 0.25 * corner + 0.125 * vec2(-corner.y, corner.x);
        float distance = texture(atlas, place_in_atlas + offset.x * x_step + offset.y * y_step).r - 0.5;
        covered += clamp(2.0 * distance * TEXELS_OF_DISTANCE / texels_a_pixel + 0.5, 0.0, 1.0);
    }
    return 0.25 * covered;
}

void main() {
    vec2 beyond = abs(place_on_plate) - half_size_of_plate + CORNER_RADIUS;
    float in_plate = CORNER_RADIUS - length(max(beyond, 0.0)) - min(max(beyond.x, beyond.y), 0.0);
    float covered = half_size_of_plate.x > 0.0 ? cover(in_plate) : cover_glyph();
    if (covered * color.a < 0.01) {
        discard; // and leaves the depth as it is
    }
    shown = vec4(color.rgb, color.a * covered);
}
