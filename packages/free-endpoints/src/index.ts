export { docsPage } from './endpoints/docs-page.ts'
export { indexPage } from './endpoints/index-page.ts'
export { type FreeEndpointsOptions, freeEndpoints } from './free-endpoints.ts'
export { freePathMethods } from './free-path-methods.ts'
