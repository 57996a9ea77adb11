in vec2 place_in_ribbon;
flat in float half_widths;
in float meters;
flat in float dash;
flat in vec4 color;

layout(location = 0) out vec4 shown;

void main() {
    // Round ends, which join the sides of a polygon.
    float beyond = max(-place_in_ribbon.x, place_in_ribbon.x - half_widths);
    if (beyond > 0.0 && beyond * beyond + place_in_ribbon.y * place_in_ribbon.y > 1.0) {
        discard;
    }
    if (dash > 0.0 && fract(meters / (2.0 * dash)) > 0.5) {
        discard;
    }
    shown = color;
}
