// Filled triangles.
layout(location = 0) in vec4 position; // w: layer_and_anchor
layout(location = 1) in vec4 tint;

flat out vec4 color;

const float PULL = 0.001; // before the surface it lies on

void main() {
    uint layer_and_anchor = uint(position.w);
    vec4 world = place(layer_and_anchor, vec4(position.xyz, 1.0));
    color = tint;
    gl_Position = world.w == 0.0 ? NOWHERE : project((eye_from_world * world).xyz, PULL, layer_and_anchor);
}
