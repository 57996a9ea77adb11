// Corners of what the lenses hide, as tangents, at the nearest depth: nothing that is drawn later comes before it.
layout(location = 0) in vec2 corner;

void main() {
    vec2 share = (corner - tangents.xw) / (tangents.yz - tangents.xw);
    gl_Position = vec4(2.0 * share - 1.0, -1.0, 1.0);
}
