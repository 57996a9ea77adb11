flat in vec3 color;

layout(location = 0) out vec4 shown;

void main() {
    vec2 from_middle = gl_PointCoord - 0.5;
    if (dot(from_middle, from_middle) > 0.25) {
        discard;
    }
    shown = vec4(color, 1.0);
}
