// The part of a pixel that lines of a width [m] at multiples of a spacing [m] cover, from their distance in each direction: an
// average over the pixel, so that lines that are thinner than it fade in place of breaking up. A pixel that is longer than the
// spacing sees the mean.
vec2 cover_lines(vec2 place, vec2 pixel, float spacing, float width) {
    vec2 off = abs(fract(place / spacing - 0.5) - 0.5) * spacing;
    vec2 extent = max(pixel, vec2(1e-6));
    vec2 within = clamp(0.5 * (extent + width) - off, vec2(0.0), min(extent, vec2(width))) / extent;
    return mix(within, vec2(width / spacing), smoothstep(vec2(0.5), vec2(1.0), extent / spacing));
}

float cover_grid(vec2 place, float spacing, float width) {
    vec2 covered = cover_lines(place, fwidth(place), spacing, width);
    return max(covered.x, covered.y);
}
