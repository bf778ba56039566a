import { useNavigate } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { m } from '../../messages/index.ts';
import { Kbd } from '../../ui/kbd.tsx';
import type { Destination } from '../destination.ts';
import { keyNames, useShortcuts } from '../shortcuts.ts';

/* Few pages need them at once, so they are loaded when somebody asks for them. */
const Palette = lazy(() => import('./palette.tsx'));
const KeyboardHelp = lazy(() => import('./keyboard-help.tsx'));

let openPalette = () => {};

/** Shows the palette and the help for the keyboard, and listens for the keys that work everywhere. */
export function PaletteHost({ project }: { readonly project: string | null }) {
  const [shown, setShown] = useState<'palette' | 'help' | null>(null);
  const navigate = useNavigate();
  const go = (page: Destination) => () => void navigate(page);
  openPalette = () => setShown('palette');
  useShortcuts(m.keyboard.everywhere, [
    { keys: 'mod+k', label: m.keyboard.palette, action: () => setShown('palette') },
    { keys: '?', label: m.keyboard.help, action: () => setShown('help') },
    { keys: 'g p', label: m.keyboard.projects, action: go({ to: '/' }) },
    ...(project === null
      ? []
      : [
          {
            keys: 'g c',
            label: m.keyboard.checks,
            action: go({ to: '/projects/$project/checks/', params: { project } }),
          },
          {
            keys: 'g t',
            label: m.keyboard.timeline,
            action: go({ to: '/projects/$project/timeline/', params: { project } }),
          },
          {
            keys: 'g i',
            label: m.keyboard.integrations,
            action: go({ to: '/projects/$project/integrations/', params: { project } }),
          },
        ]),
  ]);
  const close = () => setShown(null);
  return (
    <Suspense>
      {shown === 'palette' && <Palette project={project} onClose={close} onHelp={() => setShown('help')} />}
      {shown === 'help' && <KeyboardHelp onClose={close} />}
    </Suspense>
  );
}

/** Opens the palette. It stands in the bar at the top of pages. */
export function FindButton() {
  return (
    <button
      type="button"
      onClick={() => openPalette()}
      className="flex h-8 w-[264px] flex-none items-center gap-2 rounded-control border border-line-2 bg-sunken pr-2 pl-2.5 text-left text-ink-3 hover:border-control max-lg:w-8 max-lg:justify-center max-lg:px-0 max-md:size-10 max-md:border-transparent max-md:bg-transparent"
    >
      <Search className="size-4 flex-none" />
      <span className="min-w-0 flex-1 truncate max-lg:sr-only">{m.palette.open}</span>
      <span aria-hidden="true" className="flex gap-1 max-lg:hidden">
        {keyNames('mod+k').map((key) => (
          <Kbd key={key}>{key}</Kbd>
        ))}
      </span>
    </button>
  );
}
