// One triangle over the whole picture.
out vec2 tangent;

void main() {
    vec2 corner = vec2(gl_VertexID == 1 ? 2.0 : 0.0, gl_VertexID == 2 ? 2.0 : 0.0);
    tangent = mix(tangents.xw, tangents.yz, corner);
    gl_Position = vec4(2.0 * corner - 1.0, 0.0, 1.0);
}
