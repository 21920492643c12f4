import type { VNode } from 'preact'
import { exactDollars } from '../parts/format-amount.ts'
import { Notice } from '../parts/notice.tsx'
import { Receipt } from '../parts/receipt.tsx'
import { Snippets } from '../parts/snippets.tsx'
import { useEstimate } from '../service/estimate.ts'
import { estimateLikely } from '../service/estimate-likely.ts'
import { at, facts } from '../service/facts.ts'
import { useTitle } from './use-title.ts'

const example = {
  model: facts.defaultChatModel,
  prompt: 'Explain in a few sentences how a fare box on a tram worked.',
  maxTokens: 4096,
}
const exampleOutput = 300

const title = facts.sells ? 'AI calls, sold one at a time' : 'What an AI call costs'

export function HomePage(): VNode {
  useTitle(title)
  return (
    <>
      <section class="hero">
        <div>
          <h1>{title}</h1>
          <p class="lead">
            {facts.sells
              ? 'Send a request and see the most that it can cost. Pay that in USDC, get the answer as it is written, and get back on chain what it did not cost. No account, no API key, no balance to top up.'
              : 'See the most that a request can cost, and what is likely to come back. This address only states prices: it sells nothing.'}
          </p>
          <p class="actions">
            {facts.sells && (
              <a class="button" href={at('playground')}>
                Try it
              </a>
            )}
            <a class="button quiet" href={at('models')}>
              See the prices
            </a>
          </p>
        </div>
        <ExampleReceipt />
      </section>
      {facts.sells && <Steps />}
      <Costs />
      {facts.sells && <Connect />}
    </>
  )
}

/** The price of a real question, asked of this service. */
function ExampleReceipt(): VNode {
  const estimate = useEstimate(example)
  if (estimate === undefined) return <div class="ticket waiting">Asking for a price…</div>
  if (estimate.status === 'refused') {
    return (
      <div class="ticket">
        <Notice>{estimate.message}</Notice>
      </div>
    )
  }
  const { minimumCharge } = facts
  const likely = estimateLikely(estimate.body, { outputTokens: exampleOutput, minimumCharge })
  return (
    <figure class="ticket">
      <figcaption>
        A question and its answer of {exampleOutput} tokens, with <code>{example.model}</code>
      </figcaption>
      <Receipt
        lines={[
          { label: 'You pay at most', amount: exactDollars(estimate.body.estimatedCost.usd) },
          { label: 'It is likely to cost', amount: exactDollars(likely.cost) },
          { label: 'You get back', amount: exactDollars(likely.refund), strong: true },
        ]}
      />
    </figure>
  )
}

const steps = [
  {
    title: 'Ask',
    text: 'Send the request. The answer is a 402 with the exact maximum. It costs nothing to ask.',
  },
  {
    title: 'Sign',
    text: 'Your wallet signs that amount. Signing needs no gas, and no money moves yet.',
  },
  {
    title: 'Receive',
    text: 'The payment is settled on chain, then the answer streams to you as it is written.',
  },
  {
    title: 'Get the rest back',
    text: 'The actual usage is billed. The rest is refunded to your wallet automatically.',
  },
]

function Steps(): VNode {
  return (
    <section aria-labelledby="steps">
      <h2 id="steps">How a call is paid</h2>
      <ol class="steps">
        {steps.map(({ title, text }) => (
          <li>
            <h3>{title}</h3>
            <p>{text}</p>
          </li>
        ))}
      </ol>
    </section>
  )
}

function Costs(): VNode {
  return (
    <section aria-labelledby="costs">
      <h2 id="costs">What it costs</h2>
      <dl class="terms">
        <dt>Tokens and images</dt>
        <dd>
          The <a href={at('models')}>listed price</a> of what was used. Every buyer pays the same.
        </dd>
        <dt>Minimum</dt>
        <dd>
          {exactDollars(facts.minimumCharge)} a call
          {facts.channelMinimumCharge && ' that is paid for separately'}, since it takes two
          transactions.
        </dd>
        {facts.channelMinimumCharge && (
          <>
            <dt>Payment channels</dt>
            <dd>
              For many calls, deposit USDC into a contract once and sign each call: no transaction,
              no waiting for a block, and the rest is returned on request. A call from a channel
              costs at least {exactDollars(facts.channelMinimumCharge)}.
            </dd>
          </>
        )}
        <dt>Safety buffer</dt>
        <dd>
          {facts.bufferBps / 100}% on top of what the longest answer would cost. It is refunded with
          the rest.
        </dd>
        <dt>Gas</dt>
        <dd>None. Your wallet only needs USDC.</dd>
        <dt>Asking</dt>
        <dd>
          Prices, estimates and models are free. The <a href={at('calculator')}>calculator</a> uses
          them.
        </dd>
        <dt>Failures</dt>
        <dd>A provider that fails before its first word costs nothing.</dd>
      </dl>
    </section>
  )
}

function Connect(): VNode {
  return (
    <section aria-labelledby="connect">
      <h2 id="connect">Connect what you already use</h2>
      <p>
        The interfaces are those of OpenAI and Anthropic, so a client only needs this address and a{' '}
        <code>fetch</code> that pays. Apps that take just an address and a key pay through{' '}
        <code>farebox proxy</code>.
      </p>
      <Snippets url={facts.publicUrl} model={facts.defaultChatModel} />
    </section>
  )
}
