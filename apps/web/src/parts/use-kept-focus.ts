import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

export type KeptFocus = {
  /** What gets the focus that would be lost. */
  readonly target: RefObject<HTMLFieldSetElement | null>
  readonly onFocusIn: (event: FocusEvent) => void
}

/**
 * Keeps the focus in a form when a new stage removes or disables what had it: browsers would move it to
 * the page as a whole, and some continue from its beginning.
 */
export function useKeptFocus(stage: string): KeptFocus {
  const target = useRef<HTMLFieldSetElement>(null)
  const last = useRef<Element | null>(null)
  useLayoutEffect(() => {
    const { activeElement, body } = document
    if (last.current === null || (activeElement !== body && activeElement !== last.current)) return
    const isLost = !last.current.isConnected || last.current.matches(':disabled')
    if (isLost) target.current?.focus({ preventScroll: true })
  }, [stage])
  return {
    target,
    onFocusIn: ({ target: focused }) => {
      if (focused instanceof Element) last.current = focused
    },
  }
}
