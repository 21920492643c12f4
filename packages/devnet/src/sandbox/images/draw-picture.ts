import { type Seeded, seededBy } from '../wire/seeded.ts'
import { dotsOf } from './glyphs.ts'
import type { Picture } from './png.ts'

const shades = 240
const ink = 255

/** Draws a labeled picture from the seed: a gradient, circles, and words. */
export function drawPicture(
  size: { readonly width: number; readonly height: number },
  prompt: string,
  seed: number,
): Picture {
  const random = seededBy(`${prompt}#${seed}`)
  const pixels = gradient(size, random)
  for (let circle = 0; circle < 5; circle += 1) drawCircle(pixels, size, random)
  writeLine(pixels, size, { text: 'SANDBOX', at: 0.36 })
  writeLine(pixels, size, { text: prompt.slice(0, 24), at: 0.6 })
  return { ...size, pixels, palette: palette(random) }
}

type Size = { readonly width: number; readonly height: number }

function gradient({ width, height }: Size, random: Seeded): Uint8Array {
  const pixels = new Uint8Array(width * height)
  const slope = random()
  for (let y = 0; y < height; y += 1) {
    const fromTop = (y / height) * (1 - slope)
    for (let x = 0; x < width; x += 1) {
      pixels[y * width + x] = Math.floor(((x / width) * slope + fromTop) * (shades - 1))
    }
  }
  return pixels
}

function drawCircle(pixels: Uint8Array, { width, height }: Size, random: Seeded): void {
  const radius = Math.floor((0.05 + random() * 0.15) * Math.min(width, height))
  const centerX = Math.floor(random() * width)
  const centerY = Math.floor(random() * height)
  const shade = Math.floor(random() * shades)
  for (let y = Math.max(0, centerY - radius); y < Math.min(height, centerY + radius); y += 1) {
    const half = Math.floor(Math.sqrt(radius ** 2 - (y - centerY) ** 2))
    const from = Math.max(0, centerX - half)
    const to = Math.min(width, centerX + half)
    if (to > from) pixels.fill(shade, y * width + from, y * width + to)
  }
}

function writeLine(
  pixels: Uint8Array,
  { width, height }: Size,
  { text, at }: { readonly text: string; readonly at: number },
): void {
  const columns = text.length * 4 + 4
  const dot = Math.max(1, Math.floor(width / columns))
  const left = Math.max(0, Math.floor((width - (columns - 4) * dot) / 2))
  const top = Math.floor(height * at)
  for (const { x, y } of dotsOf(text)) {
    const from = left + x * dot
    for (let row = top + y * dot; row < Math.min(height, top + (y + 1) * dot); row += 1) {
      pixels.fill(ink, row * width + from, row * width + Math.min(width, from + dot))
    }
  }
}

/** A gradient between two colors; the last entry is white, for the words. */
function palette(random: Seeded): Uint8Array {
  const colors = new Uint8Array(256 * 3).fill(255)
  const from = [random() * 160, random() * 160, random() * 160]
  const to = [random() * 200, random() * 200, random() * 200]
  for (let shade = 0; shade < shades; shade += 1) {
    for (const [part, start] of from.entries()) {
      const end = to[part] ?? 0
      colors[shade * 3 + part] = Math.floor(start + ((end - start) * shade) / shades)
    }
  }
  return colors
}
