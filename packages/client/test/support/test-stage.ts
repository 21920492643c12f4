import { type Devnet, type DevnetAccount, startDevnet } from '@farebox/devnet'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import {
  createFareboxClient,
  type FareboxClient,
  type FareboxClientOptions,
} from '../../src/index.ts'
import { type Script, startTestGateway, type TestGateway } from './test-gateway.ts'

/** Fixtures: one devnet for the file; a new gateway and a reset chain for each test. */
export type TestStage = {
  readonly devnet: Devnet
  readonly payer: DevnetAccount
  readonly gateway: TestGateway
  /** Creates a client that the payer pays for. */
  connect(options?: Partial<FareboxClientOptions>): FareboxClient
  /** A script that settles the payment and streams these events. */
  stream(...events: readonly string[]): Script
}

export function testStage(): TestStage {
  let devnet: Devnet
  let payer: DevnetAccount
  let gateway: TestGateway
  let start: string

  beforeAll(async () => {
    devnet = await startDevnet({ payers: 1 })
    const [first] = devnet.payers
    if (first === undefined) throw new Error('a payer is needed')
    payer = first
  })
  beforeEach(async () => {
    start = await devnet.snapshot()
    gateway = await startTestGateway(devnet)
  })
  afterEach(async () => {
    await gateway.stop()
    await devnet.revert(start)
  })
  afterAll(async () => {
    await devnet.stop()
  })

  return {
    get devnet() {
      return devnet
    },
    get payer() {
      return payer
    },
    get gateway() {
      return gateway
    },
    connect: (options = {}) =>
      createFareboxClient({
        baseUrl: gateway.url,
        account: privateKeyToAccount(payer.privateKey),
        ...options,
      }),
    stream:
      (...events) =>
      async (response, arrival) => {
        response.writeHead(200, {
          'content-type': 'text/event-stream',
          ...(await gateway.settle(arrival)),
        })
        response.end(events.map((event) => `${event}\n\n`).join(''))
      },
  }
}
