export { isCdpKeySecret } from './facilitators/cdp-token.ts'
