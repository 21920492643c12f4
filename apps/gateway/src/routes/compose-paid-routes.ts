import type { BodyBudget } from '@farebox/http'
import type { Logger } from '@farebox/http/log'
import type { LedgerStore } from '@farebox/ledger'
import type { Usdc } from '@farebox/money'
import type { Paywall } from '@farebox/payments'
import type { Storefront } from '@farebox/storefront'
import { translatedRequests } from '@farebox/wires'
import type { AppOptions } from '../app.ts'
import { chatCompletions } from '../chat/chat-completions.ts'
import { imagesGenerate } from '../images/images-generate.ts'
import type { HealthMonitor } from '../observe/health-monitor.ts'
import { createLossMonitor } from '../observe/loss-monitor.ts'
import type { Metrics } from '../observe/metrics.ts'
import type { RequestLog } from '../observe/request-log.ts'
import { createRefundFault } from '../paid/failure/refund-fault.ts'
import type { OpenRequests } from '../paid/open-requests.ts'
import { type PaidDeps, paidRoute } from '../paid/paid-route.ts'
import { createQuoting } from '../paid/quote/quoting.ts'
import type { ProviderRoutes } from '../providers/provider-routes.ts'
import type { Config } from '../settings.ts'
import { imageGenerations } from '../wires/image-generations.ts'
import { messages } from '../wires/messages.ts'
import { responses } from '../wires/responses.ts'
import { composeFreeQuota } from './compose-free-quota.ts'
import { createFaultReport } from './report-fault.ts'

export type PaidRouteParts = {
  readonly config: Config
  readonly logger: Logger
  readonly metrics: Metrics
  readonly store: LedgerStore
  readonly payments: Pick<Paywall, 'gate'>
  readonly health: Pick<HealthMonitor, 'salesObstacle'>
  readonly storefront: Storefront
  readonly providers: ProviderRoutes
  readonly openRequests: OpenRequests
  readonly requests: Pick<RequestLog, 'observationOf'>
  readonly budget: BodyBudget
  readonly publicUrl: string
  /** Undefined where nothing is sold from channels. */
  readonly channelMinimum: Usdc | undefined
}

type PaidRoutes = Pick<
  AppOptions,
  'chatCompletions' | 'responses' | 'messages' | 'imagesGenerate' | 'imageGenerations'
>

/** The routes that sell: chat and images, each in the formats of several providers. */
export function composePaidRoutes(parts: PaidRouteParts): PaidRoutes {
  const { storefront, providers, channelMinimum } = parts
  const selling = { storefront, providers, quoting: createQuoting(channelMinimum) }
  const paid = paidDepsOf(parts)
  const chat = chatCompletions(selling)
  const translated = chatCompletions({ ...selling, requests: translatedRequests })
  const images = imagesGenerate(selling)
  return {
    chatCompletions: paidRoute(chat, paid),
    responses: paidRoute(responses(translated), paid),
    messages: paidRoute(
      messages(translated, () => storefront.defaultChatModel),
      paid,
    ),
    imagesGenerate: paidRoute(images, paid),
    imageGenerations: paidRoute(imageGenerations(images, storefront.now), paid),
  }
}

function paidDepsOf(parts: PaidRouteParts): PaidDeps {
  const { config, logger, metrics, store, payments, health, storefront, requests } = parts
  const { openRequests, budget, publicUrl } = parts
  const { gate } = payments
  const lossMonitor = createLossMonitor(logger, metrics)
  const reportFault = createFaultReport(logger, metrics)
  const report = (err: unknown, { id: paymentId }: { readonly id: string }): void => {
    reportFault({ err, paymentId })
  }
  return {
    gate,
    budget,
    publicUrl,
    openRequests,
    lossMonitor,
    free: composeFreeQuota({ config, store, now: Date.now, logger, metrics, lossMonitor }),
    refundFault: createRefundFault({ gate, report }),
    prices: storefront.catalog,
    observationOf: requests.observationOf,
    salesObstacle: health.salesObstacle,
  }
}
