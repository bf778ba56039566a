import { keyNames } from '../app/shortcuts.ts';
import { Kbd } from './kbd.tsx';

/** The keys that save a form, on its button. Phones have none. */
export function SaveKeys() {
  return (
    <span className="max-md:hidden" aria-hidden="true">
      <Kbd>{keyNames('mod+enter').join(' ')}</Kbd>
    </span>
  );
}
