import type { SimContext } from './sim-context.ts'

/** Runs the work again and again, first after so many milliseconds. */
export function every(context: SimContext, milliseconds: number, work: () => void): void {
  context.world.after(milliseconds, () => {
    work()
    every(context, milliseconds, work)
  })
}
