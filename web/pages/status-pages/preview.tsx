import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { ROOT } from '../../app/api.ts';
import { query } from '../../app/read.ts';
import { m } from '../../messages/index.ts';
import { Segments } from '../../ui/segments.tsx';

/** After the last key a draft waits so long before it is sent. */
const REST_MS = 250;

/** The value as it was when it last rested. */
function useRested<T>(value: T): T {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), REST_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return rested;
}

/** The unsaved part of a preview. */
export type Drafted = Pick<Parameters<typeof query.statusPagePreview>[0], 'draft' | 'update'>;

type Theme = 'light' | 'dark';

/** The public page with the draft in it, as the server renders it. `draft` is the JSON of `Drafted`. */
export function Preview({
  project,
  page,
  draft,
}: {
  readonly project: string;
  readonly page: string;
  readonly draft: string;
}) {
  const rested = useRested(draft);
  const [width, setWidth] = useState<'wide' | 'phone'>('phone');
  const [theme, setTheme] = useState<Theme>(() =>
    document.documentElement.dataset.theme === 'dark' ? 'dark' : 'light',
  );
  const { data } = useQuery({
    // The draft was one before it became a text.
    ...query.statusPagePreview({ project, page, ...(JSON.parse(rested) as Drafted) }),
    placeholderData: keepPreviousData,
  });
  return (
    <section
      aria-label={m.statusPages.preview}
      className="grid min-w-0 content-start gap-3 lg:sticky lg:top-4"
    >
      <div className="flex flex-wrap items-center gap-2">
        <h2 className="min-w-0 flex-1 text-14">{m.statusPages.preview}</h2>
        <Segments
          label={m.statusPages.width}
          value={width}
          onChange={setWidth}
          choices={[
            { value: 'wide', label: m.statusPages.wide },
            { value: 'phone', label: m.statusPages.phone },
          ]}
        />
        <Segments
          label={m.statusPages.theme}
          value={theme}
          onChange={setTheme}
          choices={[
            { value: 'light', label: m.statusPages.light },
            { value: 'dark', label: m.statusPages.dark },
          ]}
        />
      </div>
      <section
        aria-label={m.statusPages.previewOf}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
        tabIndex={0}
        className="max-h-[640px] overflow-auto rounded-[18px] border border-line-2 shadow-2"
      >
        <Rendered html={data?.html ?? ''} theme={theme} isWide={width === 'wide'} />
      </section>
    </section>
  );
}

/** HTML of the server below a root of its own, with the style of the public page. */
function Rendered({
  html,
  theme,
  isWide,
}: {
  readonly html: string;
  readonly theme: Theme;
  readonly isWide: boolean;
}) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
    if (root.firstChild === null) {
      const style = document.createElement('link');
      style.rel = 'stylesheet';
      style.href = `${ROOT}/status-files/style.css`;
      root.append(style, document.createElement('div'));
    }
    const content = root.lastElementChild;
    // The server has escaped every text, and the policy of the page runs no script in it.
    if (content !== null) content.innerHTML = html;
    // A link of the preview leads nowhere.
    for (const link of root.querySelectorAll('a')) link.removeAttribute('href');
  }, [html]);
  return (
    <div
      ref={host}
      data-theme={theme}
      className="min-h-100 bg-canvas"
      style={isWide ? { width: 800, zoom: 0.52 } : undefined}
    />
  );
}
