import type {
  MarkdownBlockJson,
  MarkdownJson,
  MarkdownPieceJson,
} from '../../src/wire/dashboard/markdown-output.ts';

/** A text that people wrote in Markdown. The service has parsed it, and elements are made of its data. */
export function Markdown({ blocks }: { readonly blocks: MarkdownJson }) {
  return (
    <div className="grid gap-2.5 text-13 text-ink-2 [overflow-wrap:anywhere]">
      {blocks.map((block, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks have no other name
        <BlockView key={place} block={block} />
      ))}
    </div>
  );
}

function BlockView({ block }: { readonly block: MarkdownBlockJson }) {
  switch (block.kind) {
    case 'paragraph':
      return (
        <p>
          <Pieces of={block.children} />
        </p>
      );
    case 'heading':
      return (
        <h3 className="text-13 font-semibold text-ink">
          <Pieces of={block.children} />
        </h3>
      );
    case 'quote':
      return (
        <blockquote className="border-l-2 border-line-2 pl-3">
          <Pieces of={block.children} />
        </blockquote>
      );
    case 'code':
      return (
        <pre
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
          tabIndex={0}
          className="overflow-x-auto rounded-control border border-line bg-sunken p-2.5 text-12"
        >
          <code>{block.text}</code>
        </pre>
      );
    case 'list': {
      const items = block.items.map((item, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: items have no other name
        <li key={place}>
          <Pieces of={item} />
        </li>
      ));
      return block.isOrdered ? (
        <ol className="list-decimal pl-4.5">{items}</ol>
      ) : (
        <ul className="list-disc pl-4.5">{items}</ul>
      );
    }
    case 'table':
      return <TableView table={block} />;
    default:
      return block satisfies never;
  }
}

function TableView({ table }: { readonly table: Extract<MarkdownBlockJson, { kind: 'table' }> }) {
  return (
    <div
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
      tabIndex={0}
      className="overflow-x-auto"
    >
      <table className="w-full text-12">
        <thead>
          <tr>
            {table.head.map((cell, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: cells have no other name
              <th key={place} scope="col" className="border-b border-line px-2 py-1 text-left font-semibold">
                <Pieces of={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, line) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other name
            <tr key={line}>
              {row.map((cell, place) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: cells have no other name
                <td key={place} className="border-b border-line px-2 py-1 align-top">
                  <Pieces of={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Pieces({ of }: { readonly of: readonly MarkdownPieceJson[] }) {
  return of.map((piece, place) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no other name
    <Piece key={place} piece={piece} />
  ));
}

function Piece({ piece }: { readonly piece: MarkdownPieceJson }) {
  switch (piece.kind) {
    case 'text':
      return piece.text;
    case 'code':
      return <code className="rounded-[4px] bg-quiet-t px-1 text-12">{piece.text}</code>;
    case 'strong':
      return (
        <strong className="font-semibold text-ink">
          <Pieces of={piece.children} />
        </strong>
      );
    case 'em':
      return (
        <em>
          <Pieces of={piece.children} />
        </em>
      );
    case 'break':
      return <br />;
    case 'link':
      return (
        <a
          href={piece.href}
          rel="noopener noreferrer nofollow"
          target="_blank"
          className="text-link underline"
        >
          <Pieces of={piece.children} />
        </a>
      );
    default:
      return piece satisfies never;
  }
}
