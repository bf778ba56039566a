/** The message as plain text. Paragraphs that are null are left out. */
export function textMail(paragraphs: readonly (string | null)[]): string {
  return `${paragraphs.filter((paragraph) => paragraph !== null).join('\n\n')}\n`;
}

/** The sender and, if there is one, the link to unsubscribe. */
export function textFooter(siteName: string, unsubscribeUrl: string | null): string {
  const lines = ['--', `Sent by ${siteName}.`];
  if (unsubscribeUrl !== null) lines.push(`To stop receiving these messages: ${unsubscribeUrl}`);
  return lines.join('\n');
}
