import type { ComponentChildren, VNode } from 'preact'

export type ReceiptLine = {
  readonly label: string
  readonly amount: ComponentChildren
  readonly note?: string
  readonly strong?: true
}

/** Amounts with their labels, as on a printed receipt. */
export function Receipt({ lines }: { readonly lines: readonly ReceiptLine[] }): VNode {
  return (
    <dl class="receipt">
      {lines.map(({ label, amount, note, strong }) => (
        <div class={strong ? 'line strong' : 'line'}>
          <dt>
            {label}
            {note !== undefined && <small>{note}</small>}
          </dt>
          <dd>{amount}</dd>
        </div>
      ))}
    </dl>
  )
}
