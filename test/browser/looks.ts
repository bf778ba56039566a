import { form } from '../form.ts';
import { SCREENS } from './visit.ts';

type Screen = (typeof SCREENS)[keyof typeof SCREENS];

/** Tests look at pages once, and in the long form in every theme and on every screen. */
export const looks: { readonly screens: readonly Screen[]; readonly themes: readonly ('light' | 'dark')[] } =
  form.isLong
    ? { screens: [SCREENS.desktop, SCREENS.phone], themes: ['light', 'dark'] }
    : { screens: [SCREENS.desktop], themes: ['light'] };
