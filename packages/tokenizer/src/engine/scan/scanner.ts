import type { TextWindow } from './text-window.ts'

/** Returns the end of the piece at `position`, always beyond it. Pieces merge separately. */
export type Scanner = (window: TextWindow, position: number) => number
