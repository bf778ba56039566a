/** Stands at the top of each page of a demonstration. */
export const DEMONSTRATION_LINE = 'A demonstration: made-up data, nothing can be changed.';

/** The line for pages that the service writes itself. Empty where there is no demonstration. */
export function demonstrationHtml(isDemonstration: boolean): string {
  return isDemonstration ? `<p class="demonstration">${DEMONSTRATION_LINE}</p>\n` : '';
}
