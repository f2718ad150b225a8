import { Injectable, RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { pathToRegexp } from 'path-to-regexp';
import type { AppRequest } from '../../common/caller/app-request';
import { AppError } from '../../common/error/app-error';
import { shorten } from '../../common/text/id';

const MAX_SHOWN_PATH = 200;
/** Matches a possible key or other secret that was put into a path by mistake. */
const SECRETS = /[0-9A-Za-z]{30,}/g;

export interface Route {
  readonly method: string;
  /** Path with a leading slash and parameters as `:name`. */
  readonly path: string;
  readonly handler: (...args: never[]) => unknown;
}

interface Matcher {
  readonly route: Route;
  readonly regexp: RegExp;
  /** Number of parameters in the path. */
  readonly parameters: number;
}

const asList = (paths: string | string[]): string[] => (Array.isArray(paths) ? paths : [paths]);
const join = (base: string, path: string): string =>
  `/${[base, path]
    .map((part) => part.replace(/^\/|\/$/g, ''))
    .filter(Boolean)
    .join('/')}`;

/** Lists every route that the controllers declare, from Nest's own metadata. */
@Injectable()
export class RouteTable {
  private matchers: readonly Matcher[] | undefined;
  /** Last parts of the paths of all routes. */
  private lastWords: ReadonlySet<string> | undefined;

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

  all(): Route[] {
    return this.discovery.getControllers().flatMap(({ metatype }) => {
      if (typeof metatype !== 'function') return [];
      const prototype = metatype.prototype as Record<string, Route['handler']>;
      const bases = asList(Reflect.getMetadata(PATH_METADATA, metatype) as string | string[]);
      return this.scanner.getAllMethodNames(prototype).flatMap((name) => {
        const handler = prototype[name];
        const method =
          handler && (Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined);
        if (!handler || method === undefined) return [];
        const paths = asList(Reflect.getMetadata(PATH_METADATA, handler) as string | string[]);
        return bases.flatMap((base) =>
          paths.map((path) => ({ method: RequestMethod[method], path: join(base, path), handler })),
        );
      });
    });
  }

  /**
   * Returns the methods that routes accept at `path`; none if the path is unknown. A literal
   * segment takes precedence over a parameter: `rows/batch` is not a row.
   */
  methodsOf(path: string): string[] {
    this.matchers ??= this.all()
      .filter((route) => route.method !== 'ALL')
      .map((route) => ({
        route,
        regexp: pathToRegexp(route.path, { sensitive: true }).regexp,
        parameters: route.path.split('/:').length - 1,
      }));
    const found = this.matchers.filter(({ regexp }) => regexp.test(path));
    const fewest = Math.min(...found.map(({ parameters }) => parameters));
    const methods = found
      .filter(({ parameters }) => parameters === fewest)
      .map(({ route }) => route.method);
    return [
      ...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))),
    ].sort();
  }

  /**
   * Returns the error for a request that no route accepts: 405 if the path has other methods, else
   * 404.
   */
  rejection({ method, path }: Pick<AppRequest, 'method' | 'path'>): AppError {
    const allowed = this.methodsOf(path);
    if (allowed.length === 0) {
      const shown = shorten(path.replace(SECRETS, '…'), MAX_SHOWN_PATH);
      return new AppError('not_found', `No route matches ${method} ${shown}.`);
    }
    const message = `${method} is not supported here; use ${allowed.join(' or ')}.`;
    return new AppError('method_not_allowed', message, { headers: { Allow: allowed.join(', ') } });
  }

  /**
   * Returns the error for a request that matches a route only because a parameter of its path took the
   * place of a word of another route, such as `GET rows/batch`.
   * @returns `null` for any other request.
   */
  rejectionOfWord({ method, path, route }: AppRequest): AppError | null {
    if (!endsWithParameter((route as { readonly path: string }).path)) return null;
    this.lastWords ??= new Set(this.all().map((each) => lastPart(each.path)));
    const last = lastPart(path);
    if (last === '' || !this.lastWords.has(last)) return null;
    return this.methodsOf(path).includes(method) ? null : this.rejection({ method, path });
  }
}

const endsWithParameter = (path: string): boolean => path[path.lastIndexOf('/') + 1] === ':';

const lastPart = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
