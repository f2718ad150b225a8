/**
 * Starts Swagger UI for the public API, with the colors of the console. If somebody is signed in to
 * the console, calls use their session in place of an API key.
 */
(() => {
  /** Key in local storage of the color scheme that the user has chosen in the console. */
  const COLOR_SCHEME = 'mantine-color-scheme-value';
  /** Stands for a key in the commands that the page shows. No call is sent with it. */
  const NO_KEY = 'YOUR_API_KEY';
  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  /** Matches if the sections have room beside the text. */
  const wide = window.matchMedia('(width > 64rem)');

  function applyColorScheme() {
    const chosen = window.localStorage.getItem(COLOR_SCHEME);
    const isDark = chosen === 'dark' || (chosen !== 'light' && dark.matches);
    document.documentElement.classList.toggle('dark-mode', isDark);
    document.documentElement.classList.toggle('light-mode', !isDark);
  }

  /** Returns the document as the page shows it. */
  function shown(description) {
    const paths = Object.entries(description.paths ?? {}).map(([path, item]) => [
      path,
      Object.fromEntries(Object.entries(item).map(([key, one]) => [key, withEmptyFields(one)])),
    ]);
    return { ...description, paths: Object.fromEntries(paths) };
  }

  /** Moves the examples of optional parameters to their descriptions. A call would send them as values. */
  function withEmptyFields(operation) {
    if (!Array.isArray(operation?.parameters)) return operation;
    const parameters = operation.parameters.map((parameter) => {
      if (parameter.required || !parameter.schema) return parameter;
      const { example, examples, ...rest } = parameter;
      const { example: own, ...schema } = parameter.schema;
      const one = example ?? own ?? Object.values(examples ?? {})[0]?.value;
      const text = one === undefined || one === '' ? '' : ` Example: \`${one}\`.`;
      return { ...rest, schema, description: `${parameter.description ?? ''}${text}` };
    });
    return { ...operation, parameters };
  }

  /** Returns the operations that have all words of a search, by group. */
  function found(groups, search) {
    const words = search.toLowerCase().split(/\s+/);
    const has = (one, group) => {
      const path = one.get('path');
      const { summary, operationId, description } = one.get('operation').toJS();
      // `records` works in place of `rows`.
      const texts = [group, one.get('method'), path, path.replace('/rows', '/records')];
      const text = [...texts, summary, operationId, description].join(' ').toLowerCase();
      return words.every((word) => text.includes(word));
    };
    return groups
      .map((group, name) =>
        group.update('operations', (all) => all.filter((one) => has(one, name))),
      )
      .filter((group) => group.get('operations').size > 0);
  }

  /** Parts of Swagger UI that are replaced or moved. */
  const changes = ({ React }) => {
    const { createElement } = React;
    /** Parts that are moved above the introduction. */
    const moved = ['FilterContainer', 'AuthorizeBtnContainer'];
    const onlyMoved = (original) => (props) =>
      props.isMoved ? createElement(original, props) : null;
    const tools = ({ getComponent }) =>
      createElement(
        'div',
        {
          className: 'docs-tools wrapper',
          role: 'region',
          'aria-label': 'Authorization and search',
        },
        moved.map((name) => createElement(getComponent(name, true), { key: name, isMoved: true })),
      );
    return {
      components: {
        // A link inside of a button. The button itself sets the hash of the URL.
        DeepLink: ({ text }) => text,
        // There is one server: this one.
        ServersContainer: () => null,
      },
      wrapComponents: {
        ...Object.fromEntries(moved.map((name) => [name, onlyMoved])),
        // The first part of the page.
        errors: (original) => (props) => [
          createElement(tools, { key: 'tools', getComponent: props.getComponent }),
          createElement(original, { key: 'errors', ...props }),
        ],
      },
      fn: { opsFilter: found },
      statePlugins: {
        spec: {
          wrapActions: {
            updateJsonSpec: (update) => (description) => update(shown(description)),
          },
        },
      },
    };
  };

  /** Attributes that Swagger UI lacks, for screen readers. */
  const ATTRIBUTES = [
    ['.information-container', 'role', 'region'],
    ['.information-container', 'aria-label', 'Introduction'],
    ['.operation-filter-input', 'aria-label', 'Search operations'],
    ['.operation-filter-input', 'placeholder', 'Search operations, such as delete rows'],
    ['.swagger-ui table[role=region]', 'role', 'table'],
    ['.modal-ux h6', 'role', 'presentation'],
    ['.close-modal', 'aria-label', 'Close'],
    ['[aria-label="Apply credentials"]', 'aria-label', 'Authorize, apply credentials'],
    ['[aria-label="Remove authorization"]', 'aria-label', 'Logout, remove authorization'],
    ['.examples-select-element', 'aria-label', 'Example'],
    ['.content-type', 'aria-label', 'Media type'],
    ['.body-param__text', 'aria-label', 'Request body'],
  ];

  function completeAttributes() {
    for (const [selector, name, value] of ATTRIBUTES) {
      for (const element of document.querySelectorAll(selector)) {
        if (element.getAttribute(name) !== value) element.setAttribute(name, value);
      }
    }
    for (const row of document.querySelectorAll('#swagger-ui tr[data-param-name]')) {
      for (const field of row.querySelectorAll(':is(select, input, textarea):not([aria-label])')) {
        field.setAttribute('aria-label', row.getAttribute('data-param-name'));
      }
    }
  }

  /** Lists the sections: those of the introduction, and the groups of operations. */
  function showSections() {
    const nav = document.getElementById('docs-sections');
    const headings = document.querySelectorAll('.information-container h2:not(.title)');
    const groups = document.querySelectorAll('.opblock-tag');
    const contents = document.createElement('details');
    const summary = document.createElement('summary');
    summary.textContent = 'Contents';
    contents.append(summary, sectionList('Guide', headings), sectionList('Operations', groups));
    // The sections are always open beside the text. Above it, they close after a choice.
    const fold = () => {
      contents.open = wide.matches;
    };
    fold();
    wide.addEventListener('change', fold);
    // Listens while the event is captured, because the links stop its propagation.
    contents.addEventListener('click', ({ target }) => target.closest('a') && fold(), true);
    nav.replaceChildren(contents);
    nav.hidden = false;
  }

  function sectionList(title, headings) {
    const list = document.createElement('ul');
    list.setAttribute('aria-label', title);
    for (const heading of headings) {
      const name = heading.dataset.tag ?? heading.textContent;
      heading.id ||= `docs-${name.replaceAll(/\W+/g, '-')}`;
      const link = document.createElement('a');
      link.href = `#${heading.id}`;
      link.textContent = name;
      // Swagger UI would scroll the heading below the header of the page.
      link.addEventListener('click', (event) => event.stopPropagation());
      const item = document.createElement('li');
      item.append(link);
      list.append(item);
    }
    return list;
  }

  /** Returns the session of the console, or null if nobody is signed in. */
  async function readSession(consoleApi) {
    const response = await fetch(`${consoleApi}/session`, {
      headers: { Accept: 'application/json' },
      credentials: 'same-origin',
    });
    return response.ok ? (await response.json()).data : null;
  }

  function showCaller(session) {
    const caller = document.getElementById('docs-caller');
    caller.textContent = session
      ? `Signed in as ${session.user.email}. Calls use your session.`
      : 'Not signed in. Calls need an API key.';
    document.getElementById('docs-sign-in').hidden = session !== null;
  }

  /**
   * Sends a call with the session. The session is read before each call, because it may have ended
   * or begun in another tab. A key that was entered is used in place of the session.
   */
  async function useSession(request, { api, consoleApi }) {
    const key = request.headers?.Authorization;
    if (request.loadSpec || (key !== undefined && !key.endsWith(` ${NO_KEY}`))) return request;
    delete request.headers.Authorization;
    const session = await readSession(consoleApi);
    showCaller(session);
    if (!session) return request;
    const url = new URL(request.url, window.location.href);
    url.pathname = url.pathname.replace(api, `${consoleApi}/data`);
    request.url = url.href;
    if (request.method !== 'GET') request.headers['X-CSRF-Token'] = session.csrfToken;
    return request;
  }

  async function start() {
    const root = document.getElementById('swagger-ui');
    const { api, consoleApi } = root.dataset;
    new MutationObserver(completeAttributes).observe(root, { childList: true, subtree: true });
    const session = await readSession(consoleApi).catch(() => null);
    showCaller(session);
    const ui = window.SwaggerUIBundle({
      dom_id: '#swagger-ui',
      url: `${api}/openapi.json`,
      deepLinking: true,
      displayRequestDuration: true,
      // Searches with `found`.
      filter: true,
      // Minimums, maximums and patterns of parameters.
      showCommonExtensions: true,
      // Disables the badge, which would call an external validator.
      validatorUrl: null,
      plugins: [changes],
      requestInterceptor: (request) => useSession(request, { api, consoleApi }),
      // Commands are for programs, which call the public API with a key.
      showMutatedRequest: false,
      onComplete: () => {
        showSections();
        if (session) ui.preauthorizeApiKey('apiKey', NO_KEY);
      },
    });
  }

  applyColorScheme();
  dark.addEventListener('change', applyColorScheme);
  window.addEventListener('storage', applyColorScheme);
  document.addEventListener('DOMContentLoaded', () => void start());
})();
