import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { chunk, completion } from '../../packages/client/test/support/bodies.ts'

type Hex = `0x${string}`

export type ChannelPayload = {
  readonly type: 'voucher' | 'deposit' | 'refund'
  readonly channelConfig: {
    readonly payer: Hex
    readonly payerAuthorizer: Hex
    readonly receiver: Hex
    readonly receiverAuthorizer: Hex
    readonly token: Hex
    readonly withdrawDelay: number
    readonly salt: Hex
  }
  readonly voucher: {
    readonly channelId: Hex
    readonly maxClaimableAmount: string
    readonly signature: Hex
  }
  readonly deposit?: { readonly amount: string }
}

/** A paid request: what it presented, and how it was answered. */
export type Paid = {
  readonly scheme: string
  readonly type: ChannelPayload['type'] | undefined
  readonly max: bigint
  readonly deposit: bigint
  readonly header: string
  status: number
}

type Channel = {
  readonly payer: Hex
  balance: bigint
  charged: bigint
  reserved: bigint
  signed: bigint
  signature: Hex
  returned: bigint
  status: 'open' | 'closing' | 'closed'
  readonly used: Set<bigint>
}

export type ChannelGateway = {
  readonly url: string
  readonly paid: Paid[]
  readonly channels: ReadonlyMap<Hex, Channel>
  /** What calls cost; 300 units. */
  cost: bigint
  /** Refuses channels with this code. */
  refusal: string | undefined
  /** Refuses to return the rest of this channel with the code. */
  refusalOf: (channel: Hex) => string | undefined
  /** Refuses calls with this code once their deposit was executed. */
  lateRefusal: string | undefined
  /** Changes the extra fields of a correction. */
  forge: (extra: Record<string, Record<string, string>>) => unknown
  /** Runs before a channel call is answered. */
  serve: (call: Paid, response: ServerResponse) => Promise<void>
  stop(): Promise<void>
}

export const ceiling = 1_000n
export const askedDeposit = 20_000n
const authorizer = '0x00000000000000000000000000000000000000a1'
const payee = '0x00000000000000000000000000000000000000b2'
const asset = '0x036cbd53842c5426634e7929541ec2318f3dcf7e'
const network = 'eip155:84532'

/**
 * A gateway that speaks the wire of the `batch-settlement` scheme and counts as the contract's receiver
 * may, without a chain: deposits and exact payments are accepted unchecked. `checkVoucher` throws for a voucher
 * that is not genuine; by default they are accepted too.
 */
export async function startChannelGateway(
  checkVoucher: (payload: ChannelPayload) => Promise<void> = async () => undefined,
): Promise<ChannelGateway> {
  const channels = new Map<Hex, Channel>()
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const gateway: ChannelGateway = {
    url: `http://127.0.0.1:${address.port}`,
    paid: [],
    channels,
    cost: 300n,
    refusal: undefined,
    refusalOf: () => undefined,
    lateRefusal: undefined,
    forge: (extra) => extra,
    serve: async () => undefined,
    stop: async () =>
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readText(request)
    const { url = '' } = request
    const figures = /^\/v1\/channels\/(0x.*)$/.exec(url)?.[1] as Hex | undefined
    if (figures !== undefined) return sendFigures(response, figures)
    const header = request.headers['payment-signature']
    if (typeof header !== 'string') return challenge(response, {})
    const sent = decode(header) as { accepted: { scheme: string }; payload: ChannelPayload }
    const { accepted, payload } = sent
    const isChannel = accepted.scheme === 'batch-settlement'
    const paid: Paid = {
      scheme: accepted.scheme,
      type: isChannel ? payload.type : undefined,
      max: isChannel ? BigInt(payload.voucher.maxClaimableAmount) : 0n,
      deposit: BigInt(payload.deposit?.amount ?? 0),
      header,
      status: 200,
    }
    gateway.paid.push(paid)
    response.once('finish', () => {
      paid.status = response.statusCode
    })
    if (!isChannel) return answer(response, { body, receipt: exactReceipt, call: paid })
    if (url === '/v1/channel') return await answerChannel(response, payload, paid)
    await sell(response, payload, { body, call: paid })
  }

  async function sell(
    response: ServerResponse,
    payload: ChannelPayload,
    { body, call }: { readonly body: string; readonly call: Paid },
  ): Promise<void> {
    const { max, deposit } = call
    await checkVoucher(payload)
    if (gateway.refusal !== undefined) return challenge(response, { error: gateway.refusal })
    const id = payload.voucher.channelId
    const known = channels.get(id)
    const channel = known ?? newChannel(payload)
    if (known === undefined && deposit === 0n) return challenge(response, { error: mismatch })
    const needed = channel.charged + channel.reserved + ceiling
    const isNeeded = needed > channel.balance
    if (deposit > 0n && isNeeded) {
      // The block in which it is executed.
      await new Promise((resolve) => setImmediate(resolve))
      channels.set(id, channel)
      channel.balance += deposit
      if (gateway.lateRefusal !== undefined) {
        response.setHeader('payment-response', encode(receiptOf(id, call, max - ceiling)))
        return challenge(response, { error: gateway.lateRefusal })
      }
    }
    const fits =
      (needed <= max || needed <= channel.signed) &&
      needed <= channel.balance &&
      !channel.used.has(max) &&
      deposit > 0n === isNeeded
    if (!fits) return correct(response, payload, channel)
    channel.used.add(max)
    channel.reserved += ceiling
    if (max > channel.signed) {
      channel.signed = max
      channel.signature = payload.voucher.signature
    }
    const report = (charged: bigint): object => receiptOf(id, call, charged)
    const base = max - ceiling
    const isStream = (JSON.parse(body) as { stream?: boolean }).stream === true
    const held = report(clamp(channel.charged + channel.reserved, base))
    await gateway.serve(call, response)
    channel.reserved -= ceiling
    channel.charged += gateway.cost
    const receipt = isStream ? held : report(clamp(channel.charged + channel.reserved, base))
    answer(response, { body, receipt, call })
  }

  function receiptOf(id: Hex, call: Paid, next: bigint): object {
    return {
      success: true,
      network,
      transaction: call.deposit === 0n ? '' : `0x${'12'.repeat(32)}`,
      amount: call.deposit === 0n ? '' : call.deposit.toString(),
      extra: { chargedAmount: (next - call.max + ceiling).toString(), ...stateOf(id, next) },
    }
  }

  function stateOf(id: Hex, next: bigint): { channelState: Record<string, string> } {
    const channel = channels.get(id)
    return {
      channelState: {
        channelId: id,
        balance: String(channel?.balance),
        totalClaimed: '0',
        chargedCumulativeAmount: next.toString(),
      },
    }
  }

  function correct(response: ServerResponse, { voucher }: ChannelPayload, channel: Channel): void {
    let next = channel.charged + channel.reserved
    while (channel.used.has(next + ceiling)) next += 1n
    const presented = BigInt(voucher.maxClaimableAmount)
    const isProof = presented >= next
    challenge(response, {
      error: mismatch,
      extra: gateway.forge({
        ...stateOf(voucher.channelId, next),
        voucherState: {
          signedMaxClaimable: (isProof ? presented : channel.signed).toString(),
          signature: isProof ? voucher.signature : channel.signature,
        },
      }),
    })
  }

  async function answerChannel(
    response: ServerResponse,
    payload: ChannelPayload,
    call: Paid,
  ): Promise<void> {
    await checkVoucher(payload)
    const id = payload.voucher.channelId
    const channel = channels.get(id) ?? newChannel(payload)
    const refusal = gateway.refusal ?? gateway.refusalOf(id)
    if (refusal !== undefined) return challenge(response, { error: refusal })
    const stands = call.max - (payload.type === 'deposit' ? ceiling : 0n)
    if (stands !== channel.charged) return correct(response, payload, channel)
    if (payload.type === 'refund') channel.status = 'closing'
    channels.set(id, channel)
    channel.balance += call.deposit
    const receipt = receiptOf(id, call, channel.charged)
    response.setHeader('payment-response', encode(receipt))
    sendFigures(response, id)
  }

  function sendFigures(response: ServerResponse, id: Hex): void {
    const channel = channels.get(id)
    if (channel === undefined) return json(response, 404, { error: {} })
    const { status, balance, charged, reserved } = channel
    const amounts = {
      deposited: balance,
      returned: channel.returned,
      charged,
      reserved,
      rest: balance - channel.returned - charged - reserved,
    }
    const shown = Object.entries(amounts).map(([name, usdc]) => [name, { usdc: usdc.toString() }])
    json(response, 200, { id, status, network, ...Object.fromEntries(shown), withdrawAt: null })
  }

  function answer(
    response: ServerResponse,
    {
      body,
      receipt,
      call,
    }: { readonly body: string; readonly receipt: object; readonly call: Paid },
  ): void {
    const id = `pay_${gateway.paid.indexOf(call)}`
    const headers = { 'payment-response': encode(receipt), 'x-payment-id': id }
    if ((JSON.parse(body) as { stream?: boolean }).stream !== true) {
      response.writeHead(200, { 'content-type': 'application/json', ...headers })
      response.end(JSON.stringify(completion))
      return
    }
    const record = { ...streamRecord, id, cost: { usdc: gateway.cost.toString(), usd: '0' } }
    response.writeHead(200, { 'content-type': 'text/event-stream', ...headers })
    response.write(`data: ${JSON.stringify(chunk('Hello.'))}\n\n`)
    response.end(`: receipt ${JSON.stringify(record)}\n\ndata: [DONE]\n\n`)
  }

  return gateway
}

const mismatch = 'invalid_batch_settlement_evm_cumulative_amount_mismatch'
const exactReceipt = { success: true, network, transaction: `0x${'34'.repeat(32)}`, amount: '1000' }

const streamRecord = {
  status: 'completed',
  resource: '/v1/chat/completions',
  model: 'sandbox/echo',
  network,
  asset,
  payer: payee,
  paid: { usdc: '1000', usd: '0.001' },
  refund: null,
  settlement: null,
  usage: null,
  createdAt: '2026-11-20T00:00:00Z',
  updatedAt: '2026-11-20T00:00:00Z',
}

function newChannel({ channelConfig, voucher: { signature } }: ChannelPayload): Channel {
  const amounts = { balance: 0n, returned: 0n, charged: 0n, reserved: 0n, signed: 0n }
  return { ...amounts, payer: channelConfig.payer, signature, status: 'open', used: new Set() }
}

function clamp(spent: bigint, base: bigint): bigint {
  if (spent < base + 1n) return base + 1n
  return spent > base + ceiling ? base + ceiling : spent
}

function challenge(
  response: ServerResponse,
  { error, extra }: { readonly error?: string; readonly extra?: unknown },
): void {
  const common = { network, amount: ceiling.toString(), asset, payTo: payee }
  const offer = { ...common, maxTimeoutSeconds: 300 }
  const terms = { receiverAuthorizer: authorizer, withdrawDelay: 86_400, minDeposit: '20000' }
  const domain = { name: 'USDC', version: '2' }
  const required = {
    x402Version: 2,
    ...(error !== undefined && { error }),
    resource: { url: 'http://gateway.test/v1/chat/completions' },
    accepts: [
      { scheme: 'exact', ...offer, extra: domain },
      { scheme: 'batch-settlement', ...offer, extra: { ...domain, ...terms, ...(extra ?? {}) } },
    ],
  }
  response.setHeader('payment-required', encode(required))
  json(response, 402, { message: `Refused: ${error}.` })
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64')
}

function decode(header: string): unknown {
  return JSON.parse(Buffer.from(header, 'base64').toString('utf8'))
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  request.on('data', (piece: Buffer) => chunks.push(piece))
  await new Promise((resolve) => request.once('end', resolve))
  return Buffer.concat(chunks).toString('utf8')
}
