import type { ComponentChildren, VNode } from 'preact'

/** A message about a problem, which screen readers announce. */
export function Notice({ children }: { readonly children: ComponentChildren }): VNode {
  return (
    <p class="notice" role="alert">
      {children}
    </p>
  )
}
