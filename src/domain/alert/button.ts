import { type Micros, seconds } from '../../lib/instant.ts';

/** What a reader of a message can do at once, in the order of the buttons. */
export const BUTTON_VERBS = ['acknowledge', 'snooze', 'pause'] as const;

export type ButtonVerb = (typeof BUTTON_VERBS)[number];

export const BUTTON_LABELS: Readonly<Record<ButtonVerb, string>> = {
  acknowledge: 'Acknowledge',
  snooze: 'Snooze 1 h',
  pause: 'Pause',
};

/** The buttons of a message about several checks. What they do ends by itself, so there is no pause. */
export const MANY_LABELS = {
  acknowledge: 'Acknowledge all',
  snooze: 'Snooze all 1 h',
} as const satisfies Partial<Record<ButtonVerb, string>>;

export type ManyVerb = keyof typeof MANY_LABELS;

export function isManyVerb(text: string): text is ManyVerb {
  return Object.hasOwn(MANY_LABELS, text);
}

/** So long the address of a button is good. */
export const BUTTON_SPAN: Micros = seconds(7 * 86_400);

/** A button keeps a check silent for so long. */
export const BUTTON_SNOOZE_SECONDS = 3_600;

/** The buttons of an integration's messages. Unless it is allowed, a message can only do what ends by itself. */
export const BUTTON_CHOICES = ['none', 'answer', 'pause'] as const;

export type ButtonChoice = (typeof BUTTON_CHOICES)[number];

const VERBS_OF: Readonly<Record<ButtonChoice, readonly ButtonVerb[]>> = {
  none: [],
  answer: ['acknowledge', 'snooze'],
  pause: BUTTON_VERBS,
};

export function verbsOf(choice: ButtonChoice): readonly ButtonVerb[] {
  return VERBS_OF[choice];
}

export function isButtonVerb(text: string): text is ButtonVerb {
  return BUTTON_VERBS.some((verb) => verb === text);
}

/** A button of a message. Whoever knows its address can use it. */
export interface Button {
  readonly verb: ButtonVerb;
  readonly label: string;
  readonly url: string;
  /** The last part of the address: its time and signature. */
  readonly token: string;
}
