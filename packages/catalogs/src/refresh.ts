export {
  createRefresher,
  type PriceStore,
  type RefreshEvent,
  type Refresher,
  type RefresherOptions,
} from './refresh/create-refresher.ts'
export type { FetchJson, PriceFeed, PriceList } from './refresh/feed.ts'
export { modelsDevFeed } from './refresh/models-dev-feed.ts'
export { openrouterFeed } from './refresh/openrouter-feed.ts'
