// Camera pictures on screens.
struct Screen {
    mat4 transform;
    vec4 layer_and_anchor; // x: which (render/gl/anchors.py), yzw: plain colour
};
layout(std430, row_major, binding = 5) readonly buffer Screens { Screen screens[]; };

uniform int screen;

out vec2 place_in_picture;
flat out vec4 color;

void main() {
    uint layer_and_anchor = uint(screens[screen].layer_and_anchor.x);
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    vec4 world = place(layer_and_anchor, screens[screen].transform * vec4(corner - 0.5, 0.0, 1.0));
    color = vec4(screens[screen].layer_and_anchor.yzw, 1.0);
    place_in_picture = vec2(corner.x, 1.0 - corner.y);
    gl_Position = world.w == 0.0 ? NOWHERE : project((eye_from_world * world).xyz, 0.0, layer_and_anchor);
}
