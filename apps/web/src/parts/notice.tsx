import type { ComponentChildren, VNode } from 'preact'

/** Something that went wrong, in words; read out by screen readers. */
export function Notice({ children }: { readonly children: ComponentChildren }): VNode {
  return (
    <p class="notice" role="alert">
      {children}
    </p>
  )
}
