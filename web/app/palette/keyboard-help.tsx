import { m } from '../../messages/index.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { DocsLink } from '../../ui/docs-link.tsx';
import { Kbd } from '../../ui/kbd.tsx';
import { Switch } from '../../ui/switch.tsx';
import { keyNames, switchShortcuts, useShortcutGroups, useShortcutsOff } from '../shortcuts.ts';

/** All keys of this page, and the switch for single letters. */
export default function KeyboardHelp({ onClose }: { readonly onClose: () => void }) {
  const groups = useShortcutGroups();
  const isOff = useShortcutsOff();
  return (
    <Dialog title={m.keyboard.title} onClose={onClose}>
      {groups.toReversed().map(({ title, shortcuts }) => (
        <section key={title} className="grid gap-1">
          <h3 className="text-12 font-medium text-ink-3">{title}</h3>
          <dl className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 gap-y-1">
            {shortcuts.map(({ keys, label }) => (
              <div key={keys} className="col-span-2 grid grid-cols-subgrid items-center">
                <dt>{label}</dt>
                <dd className="flex gap-1 justify-self-end">
                  {keyNames(keys).map((key) => (
                    <Kbd key={key}>{key}</Kbd>
                  ))}
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
      <div className="flex items-center gap-4 border-t border-line pt-3">
        <p className="min-w-0 flex-1">
          {m.keyboard.on}
          <span className="block text-12 text-ink-3">{m.keyboard.onWhy}</span>
        </p>
        <Switch label={m.keyboard.on} isOn={!isOff} onChange={(isOn) => switchShortcuts(!isOn)} />
      </div>
      <p>
        <DocsLink path="">{m.docs.keyboard}</DocsLink>
      </p>
    </Dialog>
  );
}
