in vec2 tangent;

layout(location = 0) out vec4 shown;

// Tangent of the angle at which the darkness begins, at the faintest and the strongest, and how far it takes to be complete.
const float WIDEST = 1.6;
const float NARROWEST = 0.3;
const float SOFTNESS = 1.5;

void main() {
    float begin = mix(WIDEST, NARROWEST, picture.w);
    shown = vec4(0.0, 0.0, 0.0, smoothstep(begin, SOFTNESS * begin, length(tangent)));
}
