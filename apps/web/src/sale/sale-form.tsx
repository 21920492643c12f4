import type { ComponentChildren, VNode } from 'preact'
import { exactDollars } from '../parts/format-amount.ts'
import { Notice } from '../parts/notice.tsx'
import { useKeptFocus } from '../parts/use-kept-focus.ts'
import { at } from '../service/facts.ts'
import { Answer } from './answer.tsx'
import type { Kind, OrderOf } from './order.ts'
import { PayButtons } from './pay-buttons.tsx'
import { PaymentTimeline } from './payment-timeline.tsx'
import { hasAnswer, isUnderWay, type Sale, type Stage } from './sale.ts'
import type { SaleControls } from './use-sale.ts'

type SaleFormProps<Asked extends Kind> = {
  readonly controls: SaleControls<Asked>
  readonly order: OrderOf<Asked>
  /** The fields of the order. */
  readonly children: ComponentChildren
}

/** Buys what its fields describe: shows the price, the payment, its stages, and the answer. */
export function SaleForm<Asked extends Kind>({
  controls,
  order,
  children,
}: SaleFormProps<Asked>): VNode {
  const { sale, earlier, ask, buy, sendAgain } = controls
  const isBusy = isUnderWay(sale)
  const { target, onFocusIn } = useKeptFocus(sale.stage)
  return (
    <>
      <div class="columns">
        <form
          class="stack"
          onFocusIn={onFocusIn}
          onSubmit={(event) => {
            event.preventDefault()
            ask(order)
          }}
        >
          <fieldset class="stack" disabled={isBusy}>
            <legend class="unseen">The question</legend>
            {children}
          </fieldset>
          <fieldset class="stack" ref={target} tabIndex={-1}>
            <legend class="unseen">The next step</legend>
            <Status sale={sale} kind={order.kind} />
            <Buttons {...controls} />
            {sale.stage === 'priced' && <PayButtons sale={sale} onPay={buy} />}
            {sale.problem !== undefined && <Notice>{sale.problem}</Notice>}
            {sendAgain && <SendAgain onClick={sendAgain} />}
          </fieldset>
        </form>
        <div class="ticket">
          <PaymentTimeline sale={sale} />
          {sale.payment && <RecordLink id={sale.payment.id} />}
        </div>
      </div>
      {earlier === undefined || hasAnswer(sale) ? (
        <Answer sale={sale} label="The answer" />
      ) : (
        <Answer sale={earlier} label="The previous answer">
          <h2>The previous answer</h2>
          {earlier.payment && <RecordLink id={earlier.payment.id} />}
        </Answer>
      )}
    </>
  )
}

/** The way out for an order that is signed, and perhaps paid, but has no answer. */
function SendAgain({ onClick }: { readonly onClick: () => void }): VNode {
  return (
    <div>
      <p>
        You have signed this payment, and it may have been made. Send the same request again to get
        its answer: nothing is paid twice. A new price would be a second payment.
      </p>
      <button type="button" class="button" onClick={onClick}>
        Send it again
      </button>
    </div>
  )
}

/** The record of the payment, whose id the operator asks for. */
function RecordLink({ id }: { readonly id: string }): VNode {
  return (
    <p class="fine">
      Receipt:{' '}
      <a href={at(`v1/payments/${id}`)} target="_blank" rel="noopener">
        <code>{id}</code>
      </a>
    </p>
  )
}

/** What a stage waits for. */
const waiting: Partial<Record<Stage, string>> = {
  pricing: 'Asking…',
  signing: 'Waiting for the signature…',
  paying: 'Paying, then waiting for the answer…',
}

const likely: Readonly<Record<Kind, string>> = {
  chat: 'with its longest answer it is likely to cost',
  image: 'it is likely to cost',
}

type StatusProps = { readonly sale: Sale; readonly kind: Kind }

/** The price, and for screen readers, which announce what changes in it, each other stage. */
function Status({ sale: { stage, quote, shortfall }, kind }: StatusProps): VNode {
  if (stage !== 'priced' || !quote) {
    const isComplete = stage === 'answered' && shortfall === undefined
    return (
      <p role="status" class="unseen">
        {waiting[stage] ?? (isComplete ? 'The answer is complete.' : '')}
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

type ButtonsProps = Pick<SaleControls<Kind>, 'sale' | 'stop' | 'cancel'>

function Buttons({ sale: { stage }, stop, cancel }: ButtonsProps): VNode | null {
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
