/** Kinds are written as their makers write them, as far as a capital letter can. */
export function channelName(channel: { readonly kind: string; readonly name: string } | undefined): string {
  if (channel === undefined) return '';
  return channel.name || channel.kind.charAt(0).toUpperCase() + channel.kind.slice(1);
}
