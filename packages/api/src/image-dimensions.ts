/** Width and height as bodies show them, with a multiplication sign. */
export function imageDimensions({
  width,
  height,
}: {
  readonly width: number
  readonly height: number
}): string {
  return `${width}×${height}`
}
