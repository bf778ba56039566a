/** The message for readers without HTML; what is null is left out. */
export function textMail(paragraphs: readonly (string | null)[]): string {
  return `${paragraphs.filter((paragraph) => paragraph !== null).join('\n\n')}\n`;
}

/** Who sent it and, where one can, how to hear no more. */
export function textFooter(siteName: string, unsubscribeUrl: string | null): string {
  const lines = ['--', `Sent by ${siteName}.`];
  if (unsubscribeUrl !== null) lines.push(`To stop receiving these messages: ${unsubscribeUrl}`);
  return lines.join('\n');
}
