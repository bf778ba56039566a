/** To be imported before a file of tests: these look at their pages in every theme and on every screen. */
import { looks } from './looks.ts';
import { SCREENS } from './visit.ts';

looks.screens = [SCREENS.desktop, SCREENS.phone];
looks.themes = ['light', 'dark'];
