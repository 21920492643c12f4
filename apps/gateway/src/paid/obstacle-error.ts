import type { SalesObstacle } from '../observe/health-monitor.ts'
import type { EndpointError } from './paid-endpoint.ts'

/** The answer while nothing can be sold; sent before the client signs. */
export function obstacleError(obstacle: SalesObstacle): EndpointError {
  return obstacle === 'sales_stopped' ? salesStopped : paymentsUnavailable
}

const paymentsUnavailable: EndpointError = {
  status: 503,
  code: 'payments_unavailable',
  message:
    'Payments are unavailable for the moment; /v1/health says why. This request moved no money. Repeat it later.',
  headers: { 'Retry-After': '10' },
}

const salesStopped: EndpointError = {
  status: 503,
  code: 'sales_stopped',
  message:
    'Sales are stopped until the operator has checked the accounts. This request moved no money. Repeat it later.',
  headers: { 'Retry-After': '60' },
}
