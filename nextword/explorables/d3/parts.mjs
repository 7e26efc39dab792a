// The parts of d3 that the figures use; esbuild leaves out the rest.
export { easeCubicInOut } from "d3-ease";
export { interpolateZoom } from "d3-interpolate";
export { create, pointer, select } from "d3-selection";
export { curveStep, line } from "d3-shape";
export { timer } from "d3-timer";
export { zoom, zoomIdentity, zoomTransform } from "d3-zoom";
