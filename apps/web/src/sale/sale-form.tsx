import type { ComponentChildren, VNode } from 'preact'
import { exactDollars } from '../parts/format-amount.ts'
import { Notice } from '../parts/notice.tsx'
import { Answer } from './answer.tsx'
import type { Order } from './order.ts'
import { PayButtons } from './pay-buttons.tsx'
import { PaymentTimeline } from './payment-timeline.tsx'
import type { Sale, Stage } from './sale.ts'
import type { SaleControls } from './use-sale.ts'

type SaleFormProps = {
  readonly controls: SaleControls
  readonly order: Order
  /** The fields of the order. */
  readonly children: ComponentChildren
}

/** Buys what its fields describe: shows the price, the payment, its stages, and the answer. */
export function SaleForm({ controls, order, children }: SaleFormProps): VNode {
  const { sale, ask, buy } = controls
  const isBusy = ['pricing', 'signing', 'paying', 'answering'].includes(sale.stage)
  return (
    <>
      <div class="columns">
        <form
          class="stack"
          onSubmit={(event) => {
            event.preventDefault()
            void ask(order)
          }}
        >
          <fieldset class="stack" disabled={isBusy}>
            <legend class="unseen">The question</legend>
            {children}
          </fieldset>
          <Status sale={sale} kind={order.kind} />
          <Buttons {...controls} />
          {sale.stage === 'priced' && (
            <PayButtons sale={sale} onPay={(open) => void buy(order, open)} />
          )}
          {sale.problem !== undefined && <Notice>{sale.problem}</Notice>}
        </form>
        <div class="ticket">
          <PaymentTimeline sale={sale} />
        </div>
      </div>
      <Answer sale={sale} />
    </>
  )
}

/** What a stage waits for. */
const waiting: Partial<Record<Stage, string>> = {
  pricing: 'Asking…',
  signing: 'Waiting for the signature…',
  paying: 'Paying…',
}

const likely: Readonly<Record<Order['kind'], string>> = {
  chat: 'with its longest answer it is likely to cost',
  image: 'it is likely to cost',
}

type StatusProps = { readonly sale: Sale; readonly kind: Order['kind'] }

/** The price, and for screen readers, which announce what changes in it, each other stage. */
function Status({ sale: { stage, quote }, kind }: StatusProps): VNode {
  if (stage !== 'priced' || !quote) {
    return (
      <p role="status" class="unseen">
        {waiting[stage] ?? (stage === 'answered' ? 'The answer is complete.' : '')}
      </p>
    )
  }
  return (
    <p role="status">
      At most <strong>{exactDollars(quote.maximum.usd)}</strong>; {likely[kind]}{' '}
      {exactDollars(quote.likely.usd)}.
    </p>
  )
}

function Buttons({ sale: { stage }, stop, cancel }: SaleControls): VNode | null {
  if (stage === 'priced') return null
  if (stage === 'answering') {
    return (
      <button type="button" class="button quiet" onClick={stop}>
        Stop
      </button>
    )
  }
  const label = waiting[stage]
  return (
    <div class="actions">
      <button type="submit" class="button" disabled={label !== undefined}>
        {label ?? 'Get the price'}
      </button>
      {stage === 'signing' && (
        <button type="button" class="button quiet" onClick={cancel}>
          Cancel
        </button>
      )}
    </div>
  )
}
