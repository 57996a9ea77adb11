layout(location = 0) out vec4 shown;

void main() {
    shown = vec4(0.0, 0.0, 0.0, 1.0);
}
