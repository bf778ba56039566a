/** How messages of a kind show buttons. */
export interface ButtonDisplay {
  /** A sentence for people who set one up. */
  readonly says: string;
  /** Whether they work only if the operator's bot is told of taps. */
  readonly needsTaps?: boolean;
  /** What is missing where the provider cannot reach this service. */
  readonly unreached?: string;
}

export const BUTTON_LINKS: ButtonDisplay = {
  says: 'They are links in the message. Each leads to a page with one button, for which nobody has to sign in.',
};

/** For kinds that write none, where the owner of a channel can. */
export const BUTTON_PLACEHOLDERS: ButtonDisplay = {
  says: 'Messages show none. Where you write $ACK_URL or $SNOOZE_URL, the address of the button takes its place.',
};
