// One triangle over the whole window.
out vec2 spot;

void main() {
    spot = vec2(gl_VertexID == 1 ? 2.0 : 0.0, gl_VertexID == 2 ? 2.0 : 0.0);
    gl_Position = vec4(2.0 * spot - 1.0, 0.0, 1.0);
}
