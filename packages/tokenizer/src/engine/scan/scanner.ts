import type { TextWindow } from './text-window.ts'

/** Where the piece ends that starts at `position`; always beyond it. Pieces are merged alone. */
export type Scanner = (window: TextWindow, position: number) => number
