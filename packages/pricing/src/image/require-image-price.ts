import type { Usd } from '@farebox/money'
import { requirePrice } from '../terms/quantity.ts'
import { requireObject } from '../terms/require-object.ts'
import type { ImagePrice, ImagePriceRule } from './image-price.ts'

/** A quote has its price inside, and an amount below zero makes it too low. */
export function requireImagePrice(price: ImagePrice): void {
  requireObject('price', price)
  requireObject('price.rule', price.rule)
  for (const amount of amountsOf(price.rule)) requirePrice('a price of images', amount)
  if (price.besidesPerImage !== undefined) requirePrice('besidesPerImage', price.besidesPerImage)
}

function amountsOf(rule: ImagePriceRule): readonly Usd[] {
  switch (rule.kind) {
    case 'flat':
      return [rule.perImage]
    case 'megapixel':
      return [rule.base, rule.perExtraMegapixel]
    case 'listed':
    case 'compute':
      return rule.points.map((point) => point.price)
  }
}
