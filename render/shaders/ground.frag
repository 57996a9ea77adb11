// A floor with lines at multiples of `cell` in world, every fourth a strong one; both fade with the distance from the eye.
uniform float height;
uniform float cell;
uniform vec4 floor_color;
uniform vec4 line_color;

in vec2 on_ground;

layout(location = 0) out vec4 shown;

const float LINE = 0.008;   // width of a line [m]
const float STRONG = 0.020; // and of a strong one
const float STRONG_EVERY = 4.0;
const float FADED = 22.0; // distance at which nothing is left [m]

void main() {
    float left = 1.0 - smoothstep(0.0, 1.0, distance(vec3(on_ground, height), eye_in_world.xyz) / FADED);
    float lines = max(0.7 * cover_grid(on_ground, cell, LINE), cover_grid(on_ground, STRONG_EVERY * cell, STRONG));
    float line = line_color.a * lines * left;
    float floor_share = floor_color.a * left;
    // the line lies on the floor
    float alpha = line + floor_share * (1.0 - line);
    shown = vec4((line_color.rgb * line + floor_color.rgb * floor_share * (1.0 - line)) / max(alpha, 1e-4), alpha);
}
