import type { ImageSizes } from './image-model.ts'
import type { ImageRuleText } from './image-record.ts'
import { legalSizes } from './image-sizes.ts'

/** Whether a rule has a price for every size that a model supports. */
export function coversSizes(sizes: ImageSizes, rule: ImageRuleText): boolean {
  switch (rule.kind) {
    case 'flat':
    case 'megapixel':
      return true
    case 'listed': {
      const priced = new Set(rule.points.map(([width, height]) => `${width}x${height}`))
      return legalSizes(sizes).every(([width, height]) => priced.has(`${width}x${height}`))
    }
    case 'compute': {
      const most = Math.max(...rule.points.map(([width, height]) => width * height))
      return legalSizes(sizes).every(([width, height]) => width * height <= most)
    }
  }
}
