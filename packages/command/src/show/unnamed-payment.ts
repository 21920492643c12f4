/** Of a paid call whose payment cannot be asked for. */
export const unnamedPayment = 'The gateway did not name the payment: the call counts at its price.'
