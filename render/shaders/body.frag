in vec3 normal_in_world;
in vec3 to_eye;
in vec3 in_solid;
in vec3 own_normal;
flat in float grid;
flat in vec4 color;
flat in float ghost;

layout(location = 0) out vec4 shown;

// A bright room: light from the whole ceiling, some of it sent back by the floor, and one soft lamp in front of the robot.
const vec3 CEILING = vec3(0.46, 0.48, 0.52);
const vec3 FLOOR = vec3(0.20, 0.19, 0.18);
const vec3 LAMP = vec3(0.74, 0.71, 0.66);
const vec3 TO_LAMP = vec3(0.5126, 0.3417, 0.7877);
const float WRAP = 0.25; // how far the lamp's light reaches around an edge
const float GLOSS = 0.10;
const float RIM = 0.75;
const float GHOST_LIGHT = 0.8;
const float GRID_LINE = 0.008; // width [m]
const float CLEAR_LINE = 0.6;  // how dense one is on a solid that is seen through
const float GRID_SHADE = 0.42; // part of the light that a line takes away

// The part of a pixel that a solid's grid covers: lines across each of its axes, but on faces that look along that axis.
float cover_with_grid() {
    vec3 pixel = fwidth(in_solid);
    vec2 across = cover_lines(in_solid.xy, pixel.xy, grid, GRID_LINE);
    float up = cover_lines(in_solid.zz, pixel.zz, grid, GRID_LINE).x;
    vec3 covered = vec3(across, up) * vec3(lessThan(abs(own_normal), vec3(0.9)));
    return max(covered.x, max(covered.y, covered.z));
}

void main() {
    vec3 n = (gl_FrontFacing ? 1.0 : -1.0) * normalize(normal_in_world);
    vec3 e = normalize(to_eye);
    float lamp = max((dot(n, TO_LAMP) + WRAP) / (1.0 + WRAP), 0.0);
    float glint = pow(max(dot(n, normalize(TO_LAMP + e)), 0.0), 32.0);
    vec3 light = mix(FLOOR, CEILING, 0.5 + 0.5 * n.z) + LAMP * lamp;
    vec3 surface = color.rgb;
    float line = grid > 0.0 ? cover_with_grid() : 0.0;
    surface *= 1.0 - GRID_SHADE * line;
    if (ghost > 0.0) {
        // The outline of a ghost is denser than its face, so that its shape can be read; light must not wash its colour out.
        float rim = pow(1.0 - clamp(dot(n, e), 0.0, 1.0), 2.5);
        shown = vec4(GHOST_LIGHT * surface * light, mix(color.a, 1.0, max(RIM * rim, CLEAR_LINE * line)));
        return;
    }
    float opacity = color.a < 1.0 ? mix(color.a, 1.0, CLEAR_LINE * line) : 1.0;
    shown = vec4(surface * light + GLOSS * glint, opacity);
}
