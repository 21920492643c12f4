export type { FareboxProvider } from './create-farebox.ts'
export { createFarebox } from './create-farebox.ts'
