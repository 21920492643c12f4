/** Shown for a paid call whose payment cannot be looked up. */
export const unnamedPayment = 'The gateway did not name the payment: the call counts at its price.'
