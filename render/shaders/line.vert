// Lines as ribbons that face the eye: one line an instance, four corners each.
struct Line {
    vec4 start; // w: width
    vec4 end;   // w: layer_and_anchor
    vec4 color;
    vec4 pattern; // x: anchor of the start, y: length of dashes, 0 for none
};
layout(std430, binding = 2) readonly buffer Lines { Line lines[]; };

uniform int first;

out vec2 place_in_ribbon; // along it from 0 at its start [half widths], across it from -1 to 1
flat out float half_widths;
out float meters;     // along it from its start
flat out float dash;
flat out vec4 color;

const float PULL = 0.002;      // before the surface it outlines
const float MIN_PIXELS = 1.2; // thinner lines would break up into dots

void main() {
    Line line = lines[first + gl_InstanceID];
    uint layer_and_anchor = uint(line.end.w);
    color = line.color;
    dash = line.pattern.y;
    vec4 start = place(uint(line.pattern.x), vec4(line.start.xyz, 1.0));
    vec4 end = place(layer_and_anchor, vec4(line.end.xyz, 1.0));
    vec3 a = (eye_from_world * start).xyz;
    vec3 b = (eye_from_world * end).xyz;
    vec3 along = b - a;
    float extent = length(along);
    along = extent > 0.0 ? along / extent : vec3(1.0, 0.0, 0.0);
    // The normal of the plane through eye and line is the same at both ends, even where one is behind the eye.
    vec3 across = cross(along, a);
    across = dot(across, across) > 0.0 ? normalize(across) : vec3(0.0, 1.0, 0.0);
    bool at_end = gl_VertexID >= 2;
    float side = (gl_VertexID & 1) == 0 ? -1.0 : 1.0;
    vec3 corner = at_end ? b : a;
    float half_width = 0.5 * max(line.start.w, MIN_PIXELS * max(-corner.z, 0.0) / picture.z);
    half_widths = extent / half_width;
    place_in_ribbon = vec2(at_end ? half_widths + 1.0 : -1.0, side);
    meters = at_end ? extent + half_width : -half_width;
    corner += half_width * (side * across + (at_end ? along : -along));
    gl_Position = start.w * end.w == 0.0 ? NOWHERE : project(corner, PULL, layer_and_anchor);
}
